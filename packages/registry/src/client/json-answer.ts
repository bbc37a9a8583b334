/** Parses the JSON of an answer whose nesting is bounded. Throws an error whose message continues "the answer". */
export function parseAnswer(text: string, depthMax: number): unknown {
  if (isDeeper(text, depthMax)) throw new Error(`is nested deeper than ${depthMax}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('is not JSON; check that the URL is the base URL of a registry');
  }
}

function isDeeper(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}
