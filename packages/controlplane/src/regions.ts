import type { VirtualCluster } from './accounts/workspaces/virtual-clusters.ts';
import { controlPlaneLimits } from './limits.ts';

type ClusterPlace = VirtualCluster['place'];

/** Where the processes of an installation run that share a database over regions. */
export interface RegionSettings {
  /** The region of this process. */
  readonly own: string;
  readonly groups: readonly RegionGroup[];
}

/** Regions over which clusters run, the one first in which they should be led. */
export interface RegionGroup {
  readonly name: string;
  readonly regions: readonly string[];
}

/** The regions of an installation: those of the settings, and those that have a control plane now. */
export class Regions {
  readonly #settings: RegionSettings | undefined;
  readonly #living: () => readonly { readonly region?: string | undefined }[];

  constructor(
    settings: RegionSettings | undefined,
    living: () => readonly { readonly region?: string | undefined }[],
  ) {
    this.#settings = settings;
    this.#living = living;
  }

  get own(): string | undefined {
    return this.#settings?.own;
  }

  group(name: string): RegionGroup | undefined {
    return this.#settings?.groups.find((group) => group.name === name);
  }

  get groupNames(): readonly string[] {
    return this.#settings?.groups.map(({ name }) => name) ?? [];
  }

  /** The regions in which a cluster should be led, the most preferred first. */
  preferredBy(place: ClusterPlace): readonly string[] {
    if ('region' in place) return [place.region];
    return this.group(place.regionGroup)?.regions ?? [];
  }

  /**
   * The regions whose control planes agents of a cluster may come to: that of this process, those that should lead the
   * cluster, even if they are down now, and all that have a control plane.
   */
  reachedFor(place: ClusterPlace | undefined): readonly string[] {
    if (this.own === undefined) return [];
    const preferred = place === undefined ? [] : this.preferredBy(place);
    const living = this.#living().flatMap(({ region }) => region ?? []);
    return [...new Set([this.own, ...preferred, ...living])].slice(0, controlPlaneLimits.tokenRegionsMax);
  }

  /** Whether the cluster is led on by another region if one fails: two of its group have a control plane now. */
  isMultiRegion(place: ClusterPlace): boolean {
    if ('region' in place) return false;
    const regions = new Set(this.group(place.regionGroup)?.regions);
    const found = this.#living().flatMap(({ region }) =>
      region !== undefined && regions.has(region) ? region : [],
    );
    return new Set(found).size > 1;
  }

  /** The place of a cluster that was created without one. */
  get usualPlace(): ClusterPlace {
    const [group, another] = this.#settings?.groups ?? [];
    if (group !== undefined && another === undefined) return { regionGroup: group.name };
    return { region: this.own ?? 'us-east-1' };
  }
}
