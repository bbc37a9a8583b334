/**
 * A code block of a page, in page order and without the indentation of a list. A hidden comment may precede it:
 *
 * - `<!-- block: in the background, ready at "…" -->`: runs until the end of the test, and is ready when it has printed
 *   the text.
 * - `<!-- block: not run, because … -->`.
 */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  /** Output that marks it as ready, if it runs in the background. */
  readonly readyAt?: string;
  /** Why it is not run, if so. */
  readonly notRun?: string;
}

const fence = /^( *)```(\w*)$/;
const note = /^ *<!-- block: (.*) -->$/;

export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language] = fence.exec(lines[at]!) ?? [];
    if (indent === undefined || language === undefined) continue;
    const start = at;
    const end = lines.indexOf(`${indent}\`\`\``, start + 1);
    if (end < 0) throw new Error(`line ${start + 1}: the block has no end`);
    at = end;
    const noted = note.exec(lines[start - 1] ?? '')?.[1];
    const text = lines.slice(start + 1, end).map((line) => line.slice(indent.length));
    blocks.push({
      language,
      text: `${text.join('\n')}\n`,
      line: start + 1,
      ...(noted !== undefined && readNote(noted, start)),
    });
  }
  return blocks;
}

function readNote(text: string, line: number): Pick<Block, 'readyAt' | 'notRun'> {
  const readyAt = /^in the background, ready at "(.+)"$/.exec(text)?.[1];
  if (readyAt !== undefined) return { readyAt };
  const notRun = /^not run, because (.+)$/.exec(text)?.[1];
  if (notRun !== undefined) return { notRun };
  throw new Error(`line ${line}: a block cannot be "${text}"`);
}

interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** Returns the commands of a block that shows their output: lines after `$ `, each with the lines below it. */
export function shownCommands({ text }: Block): readonly ShownCommand[] {
  return text
    .split(/^\$ /m)
    .filter((part) => part !== '')
    .map((part) => {
      const [command, ...output] = part.trimEnd().split('\n');
      return { command: command!, output: output.join('\n') };
    });
}
