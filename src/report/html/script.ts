/** What makes the page more than a document: search, filter, open and close all, and arrow keys between calls. */
export const pageScript = `"use strict"
const byId = (id) => document.getElementById(id)
const [controls, search, state, tool, matches] = ["controls", "search", "state", "tool", "matches"].map(byId)
const parts = [...document.querySelectorAll(".part")]
const items = [...document.querySelectorAll(".item")]
const rows = new Map([...document.querySelectorAll("[data-for]")].map((row) => [row.dataset.for, row]))
const texts = new Map()
const calls = items.filter((item) => item.classList.contains("call"))

function textOf(item) {
  if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase())
  return texts.get(item)
}

function filter() {
  const words = search.value.toLowerCase().trim()
  const states = state.value === "" ? null : state.value.split(" ")
  let shown = 0
  for (const item of items) {
    const fits =
      (states === null || states.includes(item.dataset.state)) &&
      (tool.value === "" || item.dataset.tool === tool.value) &&
      (words === "" || textOf(item).includes(words))
    item.hidden = !fits
    const row = rows.get(item.id)
    if (row) row.hidden = !fits
    if (fits && item.dataset.tool !== undefined) shown += 1
  }
  for (const part of parts) part.hidden = part.querySelector(".item:not([hidden])") === null
  byId("nothing").hidden = parts.some((part) => !part.hidden)
  matches.textContent = shown + " of " + calls.length + " calls"
}

let waiting = 0
function filterSoon() {
  clearTimeout(waiting)
  waiting = setTimeout(filter, 80)
}

function setOpen(open) {
  for (const call of calls) if (!call.hidden) call.open = open
}

function move(from, step) {
  const shown = calls.filter((call) => !call.hidden)
  const next = shown[shown.indexOf(from) + step]
  if (next) next.querySelector("summary").focus()
}

function reveal() {
  const target = byId(decodeURIComponent(location.hash.slice(1)))
  if (!target || !target.classList.contains("call")) return
  target.open = true
  target.querySelector("summary").focus({ preventScroll: true })
  target.scrollIntoView({ block: "center" })
}

search.addEventListener("input", filterSoon)
state.addEventListener("change", filter)
tool.addEventListener("change", filter)
controls.addEventListener("submit", (event) => event.preventDefault())
byId("open-all").addEventListener("click", () => setOpen(true))
byId("close-all").addEventListener("click", () => setOpen(false))
addEventListener("hashchange", reveal)
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const call = event.target.tagName === "SUMMARY" ? event.target.closest(".call") : null
  if (event.key === "/" && !event.target.closest("input, select")) {
    event.preventDefault()
    search.focus()
  } else if (event.key === "Escape" && event.target === search) {
    search.value = ""
    filter()
  } else if (call && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault()
    move(call, event.key === "ArrowDown" ? 1 : -1)
  }
})
controls.hidden = false
matches.textContent = calls.length + (calls.length === 1 ? " call" : " calls")
reveal()
`
