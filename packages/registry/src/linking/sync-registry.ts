import { configBody, isEqualConfig } from '../copying/compare-configs.ts';
import { inAnyOrder } from '../copying/in-any-order.ts';
import type { LinkedContexts } from '../copying/linked-contexts.ts';
import { LinkingFailed } from '../copying/linking-failed.ts';
import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryService } from '../service/registry-service.ts';
import { contextScope, formatSubject, parseSubject, referencedSubject } from '../state/qualified-subject.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { type LinkSource, SourceReader, type SourceSubject, type SourceVersion } from './source-reader.ts';

/** The registry that schemas are copied to. */
export interface LinkDestination {
  readonly service: Pick<
    RegistryService,
    'register' | 'deleteSubject' | 'deleteVersion' | 'putMode' | 'deleteMode' | 'putConfig' | 'deleteConfig'
  >;
  /** Its state, after everything that was acknowledged. */
  state(): Promise<RegistryState>;
}

interface SyncOptions {
  readonly source: LinkSource;
  readonly destination: LinkDestination;
  readonly contexts: LinkedContexts;
  readonly signal: AbortSignal;
  /** Called for each subject of the source that was compared, and each version that was written. */
  readonly onProgress?: ((counts: SyncCounts) => void) | undefined;
}

export interface SyncCounts {
  /** Subjects of the source. */
  subjects: number;
  /** Their versions, including those that are marked as deleted. */
  sourceVersions: number;
  newVersions: number;
  /** Versions that were removed, or marked as deleted. */
  deletedVersions: number;
}

/** A subject to bring up to date. */
interface SubjectPlan extends SourceSubject {
  /** In the destination. */
  readonly target: string;
  readonly missing: readonly SourceVersion[];
  /** The source deleted the subject and made another one of this name. */
  readonly isReplaced: boolean;
}

/** Requests to the source at a time. */
const parallelRequests = 8;
/** Modes of subjects that are taken over. Others would allow writes that only linking may make. */
const takenModes: readonly string[] = ['READONLY', 'READONLY_OVERRIDE'];

/**
 * Makes the contexts of a destination equal to those of a source: subjects, versions and ids, marks of deletion,
 * configs, and modes that forbid writes. What the destination has already is not read again, so that a sync that was
 * interrupted is continued by the next. All schemas are read, and their ids checked, before the first one is written.
 */
export async function syncRegistry(options: SyncOptions): Promise<SyncCounts> {
  try {
    return await new Sync(options).run();
  } catch (error) {
    if (error instanceof RegistryError)
      throw new LinkingFailed(`the destination refused a change (error ${error.code})`, error.message);
    throw error;
  }
}

class Sync {
  readonly #options: SyncOptions;
  readonly #reader: SourceReader;
  readonly #counts: SyncCounts = { subjects: 0, sourceVersions: 0, newVersions: 0, deletedVersions: 0 };
  #state!: RegistryState;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#reader = new SourceReader(options.source, options.signal);
  }

  async run(): Promise<SyncCounts> {
    const { destination } = this.#options;
    const subjects = await this.#reader.subjects();
    this.#counts.subjects = subjects.length;
    const targets = this.#targetsOf(subjects);
    this.#state = await destination.state();
    const removed = this.#removedSubjects(targets);
    if (subjects.length === 0 && removed.length > 0)
      throw new LinkingFailed(
        `the source has no subjects, and the destination has ${removed.length}: check the address of the source, or delete them`,
      );
    const targetContexts = new Set([...targets.keys()].map((target) => parseSubject(target).context));
    for (;;) {
      const { plans, isComplete } = await this.#plan(targets);
      for (const context of targetContexts) this.#refuseOwnSubjects(context);
      this.#refuseConflicts(plans, targets);
      for (const context of targetContexts) await this.#requireImport(context);
      await this.#removeGone(plans, removed);
      await this.#markDeleted(plans);
      await this.#write(plans);
      this.#state = await destination.state();
      if (!isComplete) continue;
      for (const plan of plans) await this.#copySettings(plan);
      await this.#copyContextConfigs(new Set(subjects.map((subject) => parseSubject(subject).context)));
      return this.#counts;
    }
  }

  #progress(): void {
    this.#options.onProgress?.({ ...this.#counts });
  }

  /** Subjects of the source by those of the destination. */
  #targetsOf(subjects: readonly string[]): ReadonlyMap<string, string> {
    const targets = new Map<string, string>();
    for (const subject of subjects) {
      const target = this.#options.contexts.subjectOf(subject);
      const other = targets.get(target);
      if (other !== undefined)
        throw new LinkingFailed(
          'two subjects of the source would be one: use another context_type',
          `${other} and ${subject}`,
        );
      targets.set(target, subject);
    }
    return targets;
  }

  /** Subjects that the source had. Contexts in another mode than IMPORT are those of others. */
  #removedSubjects(targets: ReadonlyMap<string, string>): string[] {
    const { contexts } = this.#options;
    return this.#state.subjects().filter((subject) => {
      const { context } = parseSubject(subject);
      if (targets.has(subject) || !contexts.isTarget(context)) return false;
      return this.#state.mode(contextScope(context)) === 'IMPORT';
    });
  }

  /** Reads what the destination does not have, up to a bound on its bytes. */
  async #plan(
    targets: ReadonlyMap<string, string>,
  ): Promise<{ readonly plans: readonly SubjectPlan[]; readonly isComplete: boolean }> {
    const plans: SubjectPlan[] = [];
    let planBytes = 0;
    let isComplete = true;
    this.#counts.sourceVersions = 0;
    const left = targets.entries();
    const work = async () => {
      for (const [target, subject] of left) {
        this.#options.signal.throwIfAborted();
        const found = await this.#reader.subject(subject);
        if (found === undefined) continue;
        this.#counts.sourceVersions += found.versions.length;
        const newest = found.versions.at(-1)!;
        const known = this.#state.version(target, newest);
        const first = known === undefined ? undefined : await this.#reader.version(subject, newest);
        const isReplaced = first !== undefined && first.id !== known!.id;
        const missing: SourceVersion[] = [];
        for (const version of found.versions) {
          if (!isReplaced && this.#state.version(target, version) !== undefined) continue;
          if (planBytes > registryLimits.linkedPlanBytesMax) {
            isComplete = false;
            break;
          }
          const read = first?.version === version ? first : await this.#reader.version(subject, version);
          if (read === undefined) continue;
          missing.push(read);
          planBytes += read.schema.length + 500;
        }
        plans.push({ ...found, target, missing, isReplaced });
        this.#progress();
      }
    };
    await Promise.all(Array.from({ length: parallelRequests }, work));
    return { plans, isComplete };
  }

  /** Refuses ids that schemas of the destination have which did not come from the source. */
  #refuseConflicts(plans: readonly SubjectPlan[], targets: ReadonlyMap<string, string>): void {
    for (const { target, missing, subject } of plans) {
      const { context } = parseSubject(target);
      for (const { id, version } of missing) {
        const uses = this.#state.row(context, id)?.uses ?? [];
        if (uses.length === 0 || uses.some((use) => targets.has(use.subject))) continue;
        const [use] = uses;
        throw new LinkingFailed(
          `the source has an id that "${use!.subject}" has in the destination: use another context_type, or delete that subject`,
          `id ${id} of version ${version} of ${subject}`,
        );
      }
    }
  }

  #refuseOwnSubjects(context: string): void {
    if (this.#state.mode(contextScope(context)) === 'IMPORT') return;
    const own = this.#state
      .subjects()
      .find(
        (subject) => parseSubject(subject).context === context && this.#state.latest(subject) !== undefined,
      );
    if (own === undefined) return;
    throw new LinkingFailed(
      `the context "${context}" of the destination is not in mode IMPORT and has subjects, such as "${own}": use another context_type, delete them, or set the mode`,
    );
  }

  async #requireImport(context: string): Promise<void> {
    const scope = contextScope(context);
    if (this.#state.mode(scope) === 'IMPORT') return;
    await this.#options.destination.service.putMode(scope === '' ? undefined : scope, { mode: 'IMPORT' });
  }

  async #write(plans: readonly SubjectPlan[]): Promise<void> {
    const left = new Map<string, { readonly plan: SubjectPlan; readonly version: SourceVersion }>();
    for (const plan of plans) {
      if (plan.missing.length > 0) await this.#unlock(plan.target);
      for (const version of plan.missing) left.set(`${version.version}/${plan.target}`, { plan, version });
    }
    // Schemas that others refer to come first.
    const write = async (key: string, depth: number): Promise<void> => {
      const item = left.get(key);
      if (item === undefined) return;
      left.delete(key);
      const { plan, version } = item;
      const { context } = parseSubject(plan.target);
      const references = version.references.map((reference) => ({
        ...reference,
        subject: this.#options.contexts.referenceOf(reference.subject),
      }));
      for (const reference of references) {
        if (depth > registryLimits.referenceDepthMax) break;
        await write(`${reference.version}/${referencedSubject(context, reference.subject)}`, depth + 1);
      }
      this.#options.signal.throwIfAborted();
      await this.#writeVersion(plan, version, references);
    };
    for (const key of [...left.keys()]) await write(key, 0);
  }

  async #writeVersion(
    { target, subject, deletedVersions }: SubjectPlan,
    { schema, schemaType, id, version, metadata, ruleSet }: SourceVersion,
    references: SourceVersion['references'],
  ): Promise<void> {
    try {
      await this.#options.destination.service.register(target, {
        schema,
        schemaType,
        references,
        ...(metadata === undefined ? {} : { metadata }),
        ...(ruleSet === undefined ? {} : { ruleSet }),
        id,
        version,
      });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      throw new LinkingFailed(
        `version ${version} of a subject was refused (error ${error.code}); the log of the agent says which and why`,
        `${subject}: ${error.message}`,
      );
    }
    this.#counts.newVersions++;
    // Schemas that come later may refer to it, and then it cannot be marked.
    if (deletedVersions.has(version)) {
      await this.#options.destination.service.deleteVersion(target, String(version));
      this.#counts.deletedVersions++;
    }
    this.#progress();
  }

  /** Removes subjects and versions that the source has no more, or has anew. */
  async #removeGone(plans: readonly SubjectPlan[], removed: readonly string[]): Promise<void> {
    const { service } = this.#options.destination;
    const replaced = plans.filter(({ isReplaced }) => isReplaced).map(({ target }) => target);
    const subjects = [...removed, ...replaced].filter((target) => this.#state.versions(target).length > 0);
    const versions = plans
      .filter(({ isReplaced }) => !isReplaced)
      .flatMap((plan) => {
        const kept = new Set(plan.versions);
        return this.#state.versions(plan.target).filter(({ version }) => !kept.has(version));
      });
    const due = [
      ...subjects.map((target) => ({ target, version: undefined })),
      ...versions.map(({ subject, version }) => ({ target: subject, version: String(version) })),
    ];
    for (const { target } of due) await this.#unlock(target);
    for (const permanent of [false, true]) {
      await deleteAll(due, async ({ target, version }) => {
        this.#options.signal.throwIfAborted();
        const all = this.#state.versions(target);
        if (version !== undefined) {
          const isMarked = this.#state.version(target, Number(version))?.isDeleted !== false;
          if (permanent || !isMarked) await service.deleteVersion(target, version, { permanent });
        } else if (permanent || all.some(({ isDeleted }) => !isDeleted)) {
          await service.deleteSubject(target, { permanent });
        }
        if (permanent) this.#counts.deletedVersions += version === undefined ? all.length : 1;
      });
      if (due.length > 0) this.#state = await this.#options.destination.state();
    }
  }

  async #markDeleted(plans: readonly SubjectPlan[]): Promise<void> {
    const due = plans.flatMap(({ target, deletedVersions }) =>
      this.#state
        .versions(target)
        .filter(({ version, isDeleted }) => !isDeleted && deletedVersions.has(version)),
    );
    await deleteAll(due, async ({ subject, version }) => {
      this.#options.signal.throwIfAborted();
      await this.#unlock(subject);
      await this.#options.destination.service.deleteVersion(subject, String(version));
      this.#counts.deletedVersions++;
    });
  }

  /** A subject that the source made read-only takes no changes from linking either. */
  async #unlock(target: string): Promise<void> {
    if (this.#state.mode(target) !== undefined) await this.#options.destination.service.deleteMode(target);
  }

  async #copySettings({ target, config, mode }: SubjectPlan): Promise<void> {
    const { service } = this.#options.destination;
    this.#options.signal.throwIfAborted();
    const wanted = mode !== undefined && takenModes.includes(mode) ? mode : undefined;
    if (!isEqualConfig(this.#state.config(target), config)) {
      await this.#unlock(target);
      if (config === undefined || this.#state.config(target) !== undefined)
        await service.deleteConfig(target);
      if (config !== undefined) await service.putConfig(target, configBody(config));
    }
    const now = (await this.#options.destination.state()).mode(target);
    if (wanted === now) return;
    if (wanted === undefined) await service.deleteMode(target);
    else await service.putMode(target, { mode: wanted });
  }

  /** The config that all subjects of a context have. Of several contexts that become one, the default one counts. */
  async #copyContextConfigs(sourceContexts: ReadonlySet<string>): Promise<void> {
    const { contexts, destination } = this.#options;
    const { service } = destination;
    const done = new Set<string>();
    for (const sourceContext of [...sourceContexts].sort()) {
      const scope = contextScope(contexts.contextOf(sourceContext));
      if (done.has(scope)) continue;
      done.add(scope);
      const sourceScope = formatSubject({ context: sourceContext, subject: '' });
      const config = await this.#reader.config(sourceScope === '' ? undefined : sourceScope);
      const now = this.#state.config(scope);
      if (config === undefined || isEqualConfig(now, config)) continue;
      if (now !== undefined) await service.deleteConfig(scope === '' ? undefined : scope);
      await service.putConfig(scope === '' ? undefined : scope, configBody(config));
    }
  }
}

/** A schema that others refer to is not deleted before them. */
async function deleteAll<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const isReferenced = (error: unknown) =>
    error instanceof RegistryError && error.error === 'referenceExists';
  const { left, problem } = await inAnyOrder(items, run, isReferenced);
  if (left.length > 0) throw problem;
}
