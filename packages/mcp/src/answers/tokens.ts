/** Estimates the number of tokens of a text. Models differ; four characters per token is usual for plain text. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

export const charsPerToken = 4;
