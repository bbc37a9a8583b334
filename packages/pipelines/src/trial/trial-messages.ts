/** A message that a person gives to try a configuration. */
interface TriedMessage {
  readonly content: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A message as a step left it. Long contents are cut. */
export interface TriedResult {
  readonly content: string;
  /** Values as JSON, except texts. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly error?: string | undefined;
}

/** What one processor made of the messages. */
export interface TrialStep {
  /** Where it is in the configuration. */
  readonly path: string;
  readonly name: string;
  readonly label: string;
  /** None if all were dropped. */
  readonly batches: readonly (readonly TriedResult[])[];
}

export interface TrialRequest {
  readonly yaml: string;
  readonly messages: readonly TriedMessage[];
}

export type TrialAnswer =
  | { readonly steps: readonly TrialStep[] }
  /** Why nothing was tried, in one line. */
  | { readonly refused: string };
