/** When the file of an id was begun: the first 12 of its 32 hex digits. Whoever knows nothing of files but their ids can tell their age. */
export function fileIdTimeMs(fileId: string): number {
  return Number.parseInt(fileId.slice(0, 12), 16);
}
