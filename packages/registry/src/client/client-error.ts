interface RefusalDetails {
  /** `error_code` of the answer. Absent if something else than a registry answered, such as a proxy. */
  readonly errorCode?: number | undefined;
  /**
   * Whether a tenant has named the registry. The message then has nothing that the registry sent but the class of its
   * status.
   */
  readonly isUntrusted?: boolean | undefined;
}

/** The registry answered with an error. The message is one line, for users. */
export class RegistryRefusal extends Error {
  override name = 'RegistryRefusal';
  readonly status: number;
  readonly errorCode: number | undefined;
  /** What the registry says about it, or what its status means. */
  readonly reason: string;

  constructor(
    place: string,
    status: number,
    reason: string,
    { errorCode, isUntrusted = false }: RefusalDetails = {},
  ) {
    const shownStatus = isUntrusted ? `${Math.floor(status / 100)}xx` : status;
    const code = errorCode === undefined || isUntrusted ? `status ${shownStatus}` : `error ${errorCode}`;
    super(`${place}: ${reason} (${code})`);
    this.status = status;
    this.errorCode = errorCode;
    this.reason = reason;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** There is no usable answer. It is unknown whether a change was made. The message is one line, for users. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';
  /** Whether the request was not sent, so that it can be sent again whatever it is. */
  readonly isUnsent: boolean;

  constructor(message: string, options: { readonly isUnsent?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.isUnsent = options.isUnsent ?? false;
  }
}

/** One line of bounded length without control characters, of text from outside. */
export function oneLine(text: string, charsMax = 500): string {
  const line = text
    .slice(0, charsMax + 1)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line;
}
