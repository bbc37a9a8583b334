const quotedCharsMax = 60;

/** A text of a user in quotes, cut: names may be very long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}…` : text);
}
