import type { TextPlace } from '../yaml/index.ts';

export const componentKinds = [
  'input',
  'buffer',
  'processor',
  'output',
  'cache',
  'rate_limit',
  'scanner',
] as const;
export type ComponentKind = (typeof componentKinds)[number];

/** A component as a configuration uses it. */
export interface ComponentConfig<Kind extends ComponentKind = ComponentKind> {
  readonly kind: Kind;
  /** Of its type. */
  readonly name: string;
  /** Empty if it has none. */
  readonly label: string;
  /** Where it is in the configuration, as in `pipeline.processors.0`. */
  readonly path: string;
  readonly place: TextPlace;
  /** The values of its fields, as `open` of its type takes them. */
  readonly values: unknown;
  /** Of an input or an output. */
  readonly processors: readonly ComponentConfig<'processor'>[];
}
