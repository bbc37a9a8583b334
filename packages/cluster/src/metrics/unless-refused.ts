import { CallRefused } from '../calls/call-errors.ts';

/** During a rolling upgrade, a leader of an older release does not have these calls. */
export async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallRefused) return undefined;
    throw error;
  }
}
