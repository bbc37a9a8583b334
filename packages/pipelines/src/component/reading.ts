import type { Mapping } from '@weir/bloblang';
import type { ConfigurationProblem, TextPlace, YamlValue } from '../yaml/index.ts';
import type { ComponentConfig, ComponentKind } from './component-config.ts';

/**
 * What fields need while a configuration is read: where problems are noted, and how components and mappings within it
 * are read. One reading has one text.
 */
export interface Reading {
  /** Whether a person runs the pipeline on a machine of their own, so that it may read files. */
  readonly isLocal: boolean;
  /** Whether a value is not known yet, because it refers to a variable or a secret. */
  isOpen(value: YamlValue): boolean;
  /** Notes a problem and goes on, so that one reading finds all. */
  problem(place: TextPlace, message: string): void;
  /** Notes something that works and is not advisable. */
  warning(place: TextPlace, message: string): void;
  /** Reads a component; `path` is where it is, as in `pipeline.processors.0`. */
  component<Kind extends ComponentKind>(
    kind: Kind,
    value: YamlValue,
    path: string,
  ): ComponentConfig<Kind> | undefined;
  /** Compiles a mapping; a problem of its text is noted where it is. */
  mapping(value: YamlValue, text: string): Mapping | undefined;
  /** Notes the value of a field that is defined as secret. */
  hides?(value: YamlValue): void;
  /** Notes that a resource is named, which has to be defined somewhere in the text. */
  refersTo(kind: ComponentKind, label: string, place: TextPlace): void;
}

export type { ConfigurationProblem, TextPlace, YamlValue };
