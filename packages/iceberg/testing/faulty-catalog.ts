import type { Catalog } from '../src/catalogs/catalog.ts';
import { CommitConflict, CommitUnknown } from '../src/table-errors.ts';

/**
 * What a commit meets: it is refused as if another was faster, it fails before its effect (500, 502, 504), or its
 * answer is lost.
 */
export type CommitFault = 'conflict' | 'unknown' | 'lost answer';

/** A catalog whose commits meet faults. */
export function faultyCatalog(catalog: Catalog, fault: () => CommitFault | undefined): Catalog {
  return {
    load: (table) => catalog.load(table),
    list: (namespace) => catalog.list(namespace),
    create: (table, updates) => catalog.create(table, updates),
    drop: (table, options) => catalog.drop(table, options),
    async commit(table, commit) {
      const met = fault();
      if (met === 'conflict') throw new CommitConflict('status 409: by design');
      if (met === 'unknown') throw new CommitUnknown('status 504: by design');
      const committed = await catalog.commit(table, commit);
      if (met === 'lost answer') throw new CommitUnknown('the answer is lost, by design');
      return committed;
    },
  };
}
