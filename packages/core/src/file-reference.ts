/**
 * How a pointer names its file: by the file id, and where the file belongs to another cluster of the bucket, because
 * the cluster of the pointer is a clone, by `<file id>@<cluster id>`. Ids are unique among all clusters, so the id
 * alone identifies the file; the cluster says below which prefix it lies.
 */
const separator = '@';

const referencePattern = /^[\da-f]{32}(?:@[\w-]{1,128})?$/;

export function fileReference(fileId: string, originId: string | undefined): string {
  return originId === undefined ? fileId : fileId + separator + originId;
}

export function isFileReference(text: string): boolean {
  return referencePattern.test(text);
}

/** The id of the file that a reference names. */
export function fileIdOf(reference: string): string {
  return reference.length > 32 ? reference.slice(0, 32) : reference;
}

/** The cluster below whose prefix the file lies; `undefined` for the cluster that has the reference. */
export function fileOriginOf(reference: string): string | undefined {
  return reference.length > 33 ? reference.slice(33) : undefined;
}
