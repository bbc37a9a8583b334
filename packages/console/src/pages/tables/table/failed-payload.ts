import { bytesOfBase64 } from '../../messages/payload-bytes.ts';

interface FailedPart {
  readonly base64: string;
  /** The size of all of it. */
  readonly bytes: number;
}

interface Payload {
  readonly text: string;
  readonly isHex: boolean;
  readonly isCut: boolean;
}

/** The beginning of a key or value as text, or in hexadecimal if it is none. */
export function payloadOf(part: FailedPart | null): Payload | null {
  if (part === null) return null;
  const bytes = bytesOfBase64(part.base64);
  const isCut = bytes.length < part.bytes;
  try {
    // A text that is cut may end within a character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return { text, isHex: false, isCut };
  } catch {
    return {
      text: [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      isHex: true,
      isCut,
    };
  }
}
