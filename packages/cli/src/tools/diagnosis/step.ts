import { ConnectionFailed, LoginFailed } from '@weir/client';
import { Failure } from '@weir/core';

/** The steps of a client until it can work. */
export type StepName =
  | 'DNS'
  | 'TCP'
  | 'TLS'
  | 'ApiVersions'
  | 'SASL'
  | 'Metadata'
  | 'Brokers'
  | 'Cluster access'
  | 'Topic access'
  | 'Coordinator';

/**
 * The outcome of a step. A note is for something that works but deserves attention; a skipped step was not needed or
 * could not be tried.
 */
export type StepOutcome = 'ok' | 'note' | 'failed' | 'skipped';

export interface Step {
  readonly step: StepName;
  readonly outcome: StepOutcome;
  /** What was found, as a phrase. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice: string | null;
}

export function ok(step: StepName, detail: string): Step {
  return { step, outcome: 'ok', detail, advice: null };
}

export function note(step: StepName, detail: string, advice: string | null = null): Step {
  return { step, outcome: 'note', detail, advice };
}

export function skipped(step: StepName, detail: string): Step {
  return { step, outcome: 'skipped', detail, advice: null };
}

export function failed(step: StepName, detail: string, advice: string | null = null): Step {
  return { step, outcome: 'failed', detail, advice };
}

/** A failure in two parts. Any other error is a bug and is rethrown. */
export function explained(error: unknown): { readonly detail: string; readonly advice: string | null } {
  if (error instanceof ConnectionFailed || error instanceof LoginFailed) {
    return { detail: error.what, advice: error.advice };
  }
  if (error instanceof Failure) return { detail: error.message, advice: null };
  throw error;
}
