/** Whether a text is base64, as of a serialized descriptor, which no `.proto` text is that declares anything. */
export function isDescriptor(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text.trim());
}
