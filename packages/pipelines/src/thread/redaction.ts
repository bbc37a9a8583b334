/** Shorter texts are part of too many words. */
const charsMin = 4;
/** What stands for a secret, as in configurations that are shown. */
const mask = '***';
/** More than a configuration has. */
const hiddenMax = 1_000;

/** Replaces values of secrets in texts that leave the thread of a pipeline: errors may repeat what was configured. */
export class Redaction {
  /** The longest first: one may be a part of another. */
  #hidden: readonly string[] = [];

  hide(texts: readonly string[]): void {
    const all = new Set([...this.#hidden, ...texts.flatMap(partsOf)]);
    this.#hidden = [...all]
      .filter((text) => text.length >= charsMin)
      .toSorted((a, b) => b.length - a.length)
      .slice(0, hiddenMax);
  }

  readonly of = (text: string): string => {
    let shown = text;
    for (const hidden of this.#hidden) shown = shown.replaceAll(hidden, mask);
    return shown;
  };
}

/** A URL is hidden as a whole, and so is its password, which errors may have alone. */
function partsOf(text: string): string[] {
  const login = /:\/\/([^/?#]*)@/.exec(text)?.[1];
  const password = login?.slice(login.indexOf(':') + 1);
  return password === undefined ? [text] : [text, password];
}
