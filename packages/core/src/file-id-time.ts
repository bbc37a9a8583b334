/** When the file of an id was opened: the first 12 of its 32 hex digits. Gives the age of a file from its id alone. */
export function fileIdTimeMs(fileId: string): number {
  return Number.parseInt(fileId.slice(0, 12), 16);
}

/** How often the content of the file was compacted: the digit after the time. 0 for a file of the write path. */
export function fileIdLevel(fileId: string): number {
  return Number.parseInt(fileId[12]!, 16);
}

/** The highest level that an id can have. */
export const fileIdLevelMax = 15;
