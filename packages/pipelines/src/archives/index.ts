export type { ArchiveEntry } from './archive-entry.ts';
export { printBinary, readBinary } from './binary.ts';
export { Expansion } from './expansion.ts';
export { jsonDocuments } from './json-documents.ts';
export { printTar, readTar } from './tar.ts';
export { printZip, readZip } from './zip.ts';
