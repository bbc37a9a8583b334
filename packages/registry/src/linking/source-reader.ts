import type { RegistryClient } from '../client/registry-client.ts';
import type { RegistryConfig, RegistrySchema } from '../client/registry-schema.ts';
import { LinkingFailed } from '../copying/linking-failed.ts';
import { registryLimits } from '../limits.ts';

/** What linking needs of a registry that it reads. */
export type LinkSource = Pick<
  RegistryClient,
  'subjects' | 'versions' | 'schemaOfVersion' | 'config' | 'mode' | 'place'
>;

/** A version of the source with its schema. */
export interface SourceVersion extends RegistrySchema {
  readonly id: number;
  readonly version: number;
}

/** A subject of the source, without its schemas. */
export interface SourceSubject {
  readonly subject: string;
  /** All versions, including those that are marked as deleted. */
  readonly versions: readonly number[];
  readonly deletedVersions: ReadonlySet<number>;
  readonly config: RegistryConfig | undefined;
  readonly mode: string | undefined;
}

/** Reads another registry with bounds on all that it may answer. */
export class SourceReader {
  readonly #source: LinkSource;
  readonly #stop: AbortSignal;

  constructor(source: LinkSource, stop: AbortSignal) {
    this.#source = source;
    this.#stop = stop;
  }

  /** Includes subjects all of whose versions are marked as deleted. */
  async subjects(): Promise<readonly string[]> {
    const { linkedSubjectsMax, subjectCharsMax } = registryLimits;
    const subjects = await this.#source.subjects({ deleted: true, stop: this.#stop });
    if (subjects.length > linkedSubjectsMax)
      throw new LinkingFailed(
        `the source has ${subjects.length} subjects; at most ${linkedSubjectsMax} can be linked`,
      );
    const long = subjects.find((subject) => subject.length > subjectCharsMax);
    if (long !== undefined)
      throw new LinkingFailed(
        `a subject of the source has ${long.length} characters; at most ${subjectCharsMax}`,
      );
    return subjects;
  }

  /** Returns `undefined` if the subject was removed meanwhile. */
  async subject(subject: string): Promise<SourceSubject | undefined> {
    const stop = this.#stop;
    const [all, live, config, mode] = await Promise.all([
      this.#source.versions(subject, { deleted: true, stop }),
      this.#source.versions(subject, { stop }),
      this.#source.config(subject, { stop }),
      this.#source.mode(subject, { stop }),
    ]);
    if (all === undefined || all.length === 0) return undefined;
    const { versionsPerSubjectMax } = registryLimits;
    if (all.length > versionsPerSubjectMax)
      throw new LinkingFailed(
        `a subject of the source has ${all.length} versions; at most ${versionsPerSubjectMax}`,
        subject,
      );
    const liveVersions = new Set(live);
    const deletedVersions = new Set(all.filter((version) => !liveVersions.has(version)));
    return { subject, versions: all.toSorted((a, b) => a - b), deletedVersions, config, mode };
  }

  /** Returns `undefined` if the version was removed meanwhile. */
  async version(subject: string, version: number): Promise<SourceVersion | undefined> {
    const found = await this.#source.schemaOfVersion(subject, version, { deleted: true, stop: this.#stop });
    if (found === undefined) return undefined;
    if (found.id === undefined)
      throw new LinkingFailed(`the source reports no id for version ${version} of a subject`, subject);
    return { ...found, id: found.id, version };
  }

  config(scope: string | undefined): Promise<RegistryConfig | undefined> {
    return this.#source.config(scope, { stop: this.#stop });
  }
}
