/**
 * Why another agent returned no page, and whether it is avoided for a while. Reasons that mean that the agent cannot do
 * its work count against it; a missing file or a busy agent does not.
 */
export const peerFailureReasons = {
  unreachable: { isAvoided: true },
  silent: { isAvoided: true },
  refused: { isAvoided: true },
  broken: { isAvoided: true },
  missing: { isAvoided: false },
  busy: { isAvoided: false },
} as const satisfies Record<string, { readonly isAvoided: boolean }>;

export type PeerFailureReason = keyof typeof peerFailureReasons;

export class PeerFailure extends Error {
  override readonly name = 'PeerFailure';
  readonly reason: PeerFailureReason;

  constructor(reason: PeerFailureReason, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.reason = reason;
  }
}
