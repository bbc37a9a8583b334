/** The control plane is unreachable or has no leader at the moment. A retry may succeed. */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable';
}

/** The call was not and will not be executed: every process that it reached refused it before doing anything. */
export class CallNotDone extends ClusterUnavailable {}

/** This process does not lead the cluster at the moment and has not executed the call. */
export class NotLeader extends CallNotDone {
  /** The leader's URL, if known. */
  readonly leaderUrl: string | undefined;

  constructor(message: string, leaderUrl: string | undefined) {
    super(message);
    this.leaderUrl = leaderUrl;
  }
}

/** The control plane refused the call; a retry will not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly kind: 'invalid' | 'internal';

  constructor(kind: 'invalid' | 'internal', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The call exceeds the maximum size and was not sent. */
export class CallTooLarge extends CallRefused {
  constructor(message: string) {
    super('invalid', message);
  }
}
