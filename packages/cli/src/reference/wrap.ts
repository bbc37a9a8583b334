/**
 * Wraps text to lines of at most `width` characters with `indent` spaces each. A word that is too long gets its own
 * line.
 */
export function wrap(text: string, { indent, width }: { indent: number; width: number }): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((words) => ' '.repeat(indent) + words);
}
