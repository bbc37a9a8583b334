/** A mapping that cannot be used: where, counted from 1, and why. */
export class BloblangError extends Error {
  readonly line: number;
  readonly column: number;
  /** The imported file in which it is, if it is not in the mapping itself. */
  readonly file: string | undefined;
  /** The line of the text. */
  readonly excerpt: string;
  constructor(text: string, at: number, message: string, file?: string) {
    super(message);
    const { line, column, excerpt } = placeOf(text, at);
    this.line = line;
    this.column = column;
    this.excerpt = excerpt;
    this.file = file;
  }

  /** One line that says where and why. */
  get described(): string {
    const where = this.file === undefined ? '' : `${this.file}: `;
    return `${where}line ${this.line}, column ${this.column}: ${this.message}`;
  }

  /** The line of the text with a caret below the place. */
  get illustrated(): string {
    const tabsKept = this.excerpt.slice(0, this.column - 1).replace(/[^\t]/g, ' ');
    return `${this.excerpt}\n${tabsKept}^`;
  }
}

const excerptCharsMax = 400;

function placeOf(text: string, at: number): { line: number; column: number; excerpt: string } {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return {
    line: lineOf(text, at),
    column: at - start + 1,
    excerpt: text
      .slice(start, end < 0 ? undefined : end)
      .slice(0, excerptCharsMax)
      .replace(/\r$/, ''),
  };
}

/** The line of a place, counted from 1. */
export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index >= 0 && index < at; index = text.indexOf('\n', index + 1))
    line++;
  return line;
}
