import { isFileReference } from '@weir/core';

/**
 * One page of one file, as one agent requests it from another. The size is included, because releases may differ in it.
 */
export interface PageAddress {
  /** Its reference. */
  readonly fileId: string;
  readonly index: number;
  readonly pageBytes: number;
}

export const pagesPath = '/v1/internal/files/';

/** More pages than any file has; with this limit a position in a file stays an exact number. */
const indexDigits = 7;

const pattern = new RegExp(
  `^${pagesPath}([^/?]*)\\?page=(0|[1-9]\\d{0,${indexDigits - 1}})&pageBytes=([1-9]\\d{0,8})$`,
);

export function pagePath({ fileId, index, pageBytes }: PageAddress): string {
  return `${pagesPath}${fileId}?page=${index}&pageBytes=${pageBytes}`;
}

/** Parses a request target as it was sent: it has exactly one form, so that nothing is decoded or normalised. */
export function parsePagePath(target: string): PageAddress | { readonly problem: string } {
  const [, fileId, index, pageBytes] = pattern.exec(target) ?? [];
  if (fileId === undefined) {
    return { problem: `path must be ${pagesPath}<file id>?page=<number>&pageBytes=<number>` };
  }
  if (!isFileReference(fileId)) return { problem: 'file id must have 32 hex digits' };
  return { fileId, index: Number(index), pageBytes: Number(pageBytes) };
}
