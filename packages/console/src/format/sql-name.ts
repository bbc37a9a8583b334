/** A name as SQL reads it, whatever characters it has. */
export function quotedSqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
