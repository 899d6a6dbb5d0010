/** Write to a stream and wait until it is taken. Returns why it was not; a reader that went away wanted no more. */
export function writeOut(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<string | null> {
  return new Promise((resolve) => {
    if (text.length === 0) return resolve(null)
    const settle = (error?: NodeJS.ErrnoException | null) =>
      resolve(error && error.code !== "EPIPE" ? error.message : null)
    stream.once("error", settle)
    stream.write(text, settle)
  })
}
