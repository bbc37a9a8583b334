/** The first byte of a binary message in one frame, and the bit of the second that says that there is a mask. */
const binaryMessage = 0x82;
const maskBit = 0x80;
const maskBytes = 4;
/** Two bytes, the shortest or the longest form of the length, and the mask. */
const headBytesMin = 6;
const headBytesMax = 14;

interface MaskedMessagesOptions {
  /** Receives a message that arrived whole. Its bytes are overwritten after it returns. */
  readonly onMessage: (message: Buffer) => void;
  /** Receives the bytes of everything else, in order. They are overwritten after it returns. */
  readonly onOther: (bytes: Buffer) => void;
  /** Whether everything goes to `onOther` from now on. */
  readonly isOver: () => boolean;
  /** A longer message is one for `onOther`. */
  readonly bytesMax: number;
}

/**
 * Finds the binary messages in the stream of a WebSocket client that arrived whole and in one frame, as almost all of
 * them do. All others, and control frames, go to a complete implementation, which costs several times as much.
 */
export class MaskedMessages {
  readonly #options: MaskedMessagesOptions;
  /** Bytes of a frame for `onOther` that are still missing. */
  #otherBytes = 0;
  /** Whether the end of the frames for `onOther` is not known any more. */
  #isLost = false;

  constructor(options: MaskedMessagesOptions) {
    this.#options = options;
  }

  /** Takes the next bytes of the stream, and changes them. */
  push(chunk: Buffer): void {
    const { onMessage, onOther, isOver, bytesMax } = this.#options;
    let at = 0;
    while (at < chunk.length) {
      if (this.#isLost || isOver()) {
        onOther(chunk.subarray(at));
        return;
      }
      if (this.#otherBytes > 0) {
        const end = Math.min(chunk.length, at + this.#otherBytes);
        this.#otherBytes -= end - at;
        onOther(chunk.subarray(at, end));
        at = end;
        continue;
      }
      const head = readHead(chunk, at);
      if (head === undefined) {
        // The rest of the head is in the next chunk. That is rare, and not worth more code.
        this.#isLost = true;
        continue;
      }
      const { start, bytes, isMessage } = head;
      const end = start + bytes;
      if (!isMessage || bytes > bytesMax || end > chunk.length) {
        this.#otherBytes = end - at;
        continue;
      }
      const message = chunk.subarray(start, end);
      unmask(message, chunk, start - maskBytes);
      at = end;
      onMessage(message);
    }
  }
}

interface Head {
  /** Where the content begins, and its length. */
  readonly start: number;
  readonly bytes: number;
  readonly isMessage: boolean;
}

/** The head of a frame; `undefined` if it may be incomplete. */
function readHead(chunk: Buffer, at: number): Head | undefined {
  if (chunk.length - at < headBytesMin) return undefined;
  const second = chunk[at + 1]!;
  const isMasked = (second & maskBit) !== 0;
  const isMessage = isMasked && chunk[at] === binaryMessage;
  // A client has to mask its frames. One that does not is refused by the complete implementation.
  const end = at + 2 + (isMasked ? maskBytes : 0);
  const shortBytes = second & ~maskBit;
  if (shortBytes < 126) return { start: end, bytes: shortBytes, isMessage };
  if (chunk.length - at < headBytesMax) return undefined;
  if (shortBytes === 126) return { start: end + 2, bytes: chunk.readUInt16BE(at + 2), isMessage };
  return { start: end + 8, bytes: Number(chunk.readBigUInt64BE(at + 2)), isMessage };
}

function unmask(message: Buffer, chunk: Buffer, maskAt: number): void {
  const [a, b, c, d] = [chunk[maskAt]!, chunk[maskAt + 1]!, chunk[maskAt + 2]!, chunk[maskAt + 3]!];
  if ((a | b | c | d) === 0) return;
  const { length } = message;
  const whole = length - (length % 4);
  for (let at = 0; at < whole; at += 4) {
    message[at]! ^= a;
    message[at + 1]! ^= b;
    message[at + 2]! ^= c;
    message[at + 3]! ^= d;
  }
  for (let at = whole; at < length; at++) message[at]! ^= chunk[maskAt + (at % 4)]!;
}
