import { type ClusterPort, isExportedKey, type RegistryEntry } from '@weir/cluster';
import { registryLimits } from '../limits.ts';
import { contextScope, normalSubject, parseSubject } from '../state/qualified-subject.ts';
import { parseKey, parseNumbered } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { type ExportCounts, type ExportDestination, SubjectCopies } from './copy-subjects.ts';
import type { ExportedSubjects } from './exported-subjects.ts';

/** The registry that schemas are copied from. */
export interface ExportSource extends Pick<ClusterPort, 'readRegistry'> {
  /** Its state, after everything that was acknowledged. */
  state(): Promise<RegistryState>;
}

interface ExportOptions {
  readonly source: ExportSource;
  readonly destination: ExportDestination;
  readonly subjects: ExportedSubjects;
  /** The revision up to which everything is copied; 0 copies all anew. */
  readonly offset: number;
  readonly signal: AbortSignal;
  /** Called when everything up to a revision is copied. Throws if the exporter is not to go on. */
  readonly onOffset: (offset: number, counts: ExportCounts) => Promise<void>;
  readonly onProgress?: ((counts: ExportCounts) => void) | undefined;
}

/** Subjects that are compared and written together. */
const batchSubjects = 200;

/**
 * Copies what changed after a revision: new versions with their ids, marks of deletion, removals and configs. Each
 * subject that changed is compared with the destination, so that it does no harm to copy a change again.
 *
 * Without a revision, or if removals after it are forgotten, all subjects are compared. What was removed before is then
 * unknown: subjects that only the destination has stay, because others may have written them.
 */
export async function exportChanges(options: ExportOptions): Promise<ExportCounts> {
  const { source, onOffset, signal } = options;
  const counts: ExportCounts = { subjects: 0, newVersions: 0, deletedVersions: 0 };
  const copies = new SubjectCopies({ ...options, counts });
  let { offset } = options;
  for (;;) {
    signal.throwIfAborted();
    const page =
      offset === 0
        ? undefined
        : await source.readRegistry({
            afterRevision: offset,
            startRevision: offset,
            bytesMax: registryLimits.registryReadBytes,
          });
    if (page === undefined || page.restarts) {
      const state = await source.state();
      const { revision } = state;
      await copyAll(copies, state, options);
      await copies.finish(await source.state());
      await onOffset(revision, { ...counts });
      if (revision === 0) return counts;
      offset = revision;
      continue;
    }
    const { entries, isComplete } = page;
    await copyChanged(copies, await source.state(), entries, options);
    if (isComplete) await copies.finish(await source.state());
    offset = isComplete ? page.revision : entries.at(-1)!.revision;
    // The status of an exporter is an entry, too: a report about it alone would lead to the next one.
    if (copies.isSettled && entries.some(({ key }) => isExportedKey(key)))
      await onOffset(offset, { ...counts });
    if (isComplete) return counts;
  }
}

async function copyAll(
  copies: SubjectCopies,
  state: RegistryState,
  { subjects, destination, signal }: ExportOptions,
): Promise<void> {
  const exported = state.subjects().filter((subject) => subjects.isExported(subject));
  const present = new Set((await destination.subjects({ deleted: true, stop: signal })).map(normalSubject));
  for (let at = 0; at < exported.length; at += batchSubjects) {
    const batch = exported.slice(at, at + batchSubjects);
    await copies.copy(
      state,
      batch.map((subject) => ({ subject, isAbsent: !present.has(subjects.targetOf(subject)) })),
    );
    await copies.copyConfigs(
      state,
      batch.filter(
        (subject) => state.config(subject) !== undefined || present.has(subjects.targetOf(subject)),
      ),
    );
  }
  const contexts = new Set(exported.map((subject) => parseSubject(subject).context));
  await copies.copyConfigs(state, [...contexts].map(contextScope));
}

async function copyChanged(
  copies: SubjectCopies,
  state: RegistryState,
  entries: readonly RegistryEntry[],
  { subjects }: ExportOptions,
): Promise<void> {
  const versions = new Map<string, Set<number>>();
  const scopes: string[] = [];
  for (const { key } of entries) {
    const parsed = parseKey(key);
    if (parsed?.kind === 'config') scopes.push(parsed.name);
    if (parsed?.kind !== 'version') continue;
    const { number: version, rest: subject } = parseNumbered(parsed.name);
    if (!subjects.isExported(subject)) continue;
    versions.set(subject, (versions.get(subject) ?? new Set()).add(version));
  }
  const changed = [...versions];
  for (let at = 0; at < changed.length; at += batchSubjects)
    await copies.copy(
      state,
      changed
        .slice(at, at + batchSubjects)
        .map(([subject, changedVersions]) => ({ subject, isAbsent: false, changedVersions })),
    );
  await copies.copyConfigs(state, scopes);
}
