import { spawnSync } from 'node:child_process';
import { buildJavaClient, shortLivedJava } from './build.ts';

/** Returns one JSON value from Apache's classes; `JavaClient.java` documents the modes. */
function ask(mode: 'schemas' | 'values' | 'errors'): unknown {
  const { status, error, stdout, stderr } = spawnSync(
    'java',
    [...shortLivedJava, '-cp', buildJavaClient(), 'weir.interop.JavaClient', mode],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the Java client ended with ${status}:\n${stderr}`);
  return JSON.parse(stdout);
}

interface ApacheError {
  readonly code: number;
  readonly name: string;
  readonly retriable: boolean;
}

export function apacheErrors(): readonly ApacheError[] {
  return ask('errors') as readonly ApacheError[];
}

/** A type in Apache's schemas; `kind` is `array`, `struct`, or the name of a scalar. */
export interface ApacheType {
  readonly kind: string;
  readonly compact?: boolean;
  readonly nullable: boolean;
  readonly element?: ApacheType;
  readonly struct?: ApacheStruct;
}

export interface ApacheStruct {
  readonly fields: readonly { readonly name: string; readonly type: ApacheType }[];
  /** Null in versions without tagged fields. */
  readonly tagged:
    | readonly { readonly tag: number; readonly name: string; readonly type: ApacheType }[]
    | null;
}

export interface ApacheVersion {
  readonly version: number;
  readonly struct: ApacheStruct;
}

export interface ApacheApi {
  readonly key: number;
  readonly name: string;
  readonly listeners: readonly ('BROKER' | 'CONTROLLER')[];
  readonly lowest: number;
  readonly highest: number;
  readonly highestStable: number;
  /** Version range that brokers advertise in ApiVersions; null for APIs that they do not serve. */
  readonly advertised: { readonly lowest: number; readonly highest: number } | null;
  readonly headers: readonly {
    readonly version: number;
    readonly request: number;
    readonly response: number;
  }[];
  readonly request: readonly ApacheVersion[];
  readonly response: readonly ApacheVersion[];
}

export interface ApacheSchemas {
  readonly requestHeader: readonly ApacheVersion[];
  readonly responseHeader: readonly ApacheVersion[];
  readonly apis: readonly ApacheApi[];
}

export function apacheSchemas(): ApacheSchemas {
  return ask('schemas') as ApacheSchemas;
}

export interface ApacheValue {
  readonly name: string;
  /** `empty` for arrays, bytes and structures. */
  readonly default: string | null;
  /** Versions that cannot encode a value other than the default. */
  readonly refusedIn: readonly number[];
  /** Fields of the nested structure, or of the elements of the array. */
  readonly fields: readonly ApacheValue[] | null;
}

export interface ApacheValues {
  readonly key: number;
  readonly request: readonly ApacheValue[];
  readonly response: readonly ApacheValue[];
}

export function apacheValues(): readonly ApacheValues[] {
  return ask('values') as readonly ApacheValues[];
}
