/** Control characters but white space, and characters that are drawn as nothing or reorder what is drawn. */
export const invisibleCharacters = /(?!\t|\n|\r|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Spell out what nobody would see, as JSON spells it: a reviewer has to notice it. */
export function spellInvisible(text: string): string {
  return text.replaceAll(invisibleCharacters, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, "0")
      return `\\u${unit}`
    }).join(""),
  )
}
