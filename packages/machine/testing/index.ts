export { entryKind } from '../src/entry-kind.ts';
export { namespaces } from '../src/kv/namespaces.ts';
export { partNumbers } from '../src/snapshot/parts.ts';
export { fileCommit } from './file-commit.ts';
