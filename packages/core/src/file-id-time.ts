/** When the file of an id was opened: the first 12 of its 32 hex digits. Gives the age of a file from its id alone. */
export function fileIdTimeMs(fileId: string): number {
  return Number.parseInt(fileId.slice(0, 12), 16);
}
