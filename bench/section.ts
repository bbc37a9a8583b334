import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A part of a page that a benchmark writes. */
export interface Section {
  /** The mark before the part. */
  readonly begin: string;
  readonly end: string;
  /** What a page without the marks gets at its end; it has the marks. */
  readonly initial: string;
}

/** Puts text between the marks and keeps the text around them. */
export function withSection(before: string, { begin, end, initial }: Section, text: string): string {
  const page = before.includes(begin) ? before : `${before.trimEnd()}\n${initial}`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (to < from) throw new Error(`the page has no mark ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}

export function writeSection(path: string, section: Section, text: string): void {
  writeFileSync(path, withSection(existsSync(path) ? readFileSync(path, 'utf8') : '', section, text));
}
