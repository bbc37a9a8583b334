/** Returns a file id of level 0 whose time is so late that no clock calls the file too old to be committed. */
export function youngFileId(number: number): string {
  return `7fffffffffff0${number.toString(16).padStart(19, '0')}`;
}
