/** About how many tokens a text is for a model. They differ; four characters are what most count for plain text. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

export const charsPerToken = 4;
