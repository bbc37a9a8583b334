import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPath } from '@weir/api';

/** Where the link of a first start leads. The token stands behind `#`, so that no proxy and no log on the way sees it. */
export const setupPath = '/setup';

export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${setupPath}#${token}`;
}

const script = `
const form = document.querySelector('form');
const problem = document.querySelector('output');
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
if (token === '') problem.textContent = 'The link is not whole: its part behind # is missing.';
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  const answer = await fetch('${apiPath}/setup', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...fields }),
  });
  const told = await answer.json().catch(() => ({ message: 'The answer cannot be read.' }));
  if (!answer.ok) {
    problem.textContent = told.message;
    return;
  }
  form.replaceWith('You are signed in as ' + told.user.email + '. The description of the API is at ${apiPath}/docs.');
});
`;

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 10vh auto; padding: 0 1rem; color-scheme: light dark; }
label { display: block; margin: 0.75rem 0; }
input { display: block; width: 100%; font: inherit; padding: 0.4rem; box-sizing: border-box; }
button { font: inherit; padding: 0.5rem 1rem; }
output { display: block; min-height: 1.5em; color: light-dark(#a00, #f88); }
`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Set Weir up</title>
<style>${style}</style>
<h1>Set Weir up</h1>
<p>You become the administrator of this installation.</p>
<form>
<label>Account <input name="account_name" required maxlength="128" autocomplete="organization"></label>
<label>E-mail <input name="email" type="email" required autocomplete="username"></label>
<label>Your name <input name="name" required maxlength="128" autocomplete="name"></label>
<label>Password <input name="password" type="password" required minlength="12" autocomplete="new-password"></label>
<output aria-live="polite"></output>
<button>Set up</button>
</form>
<script>${script}</script>
</html>
`;

const sourceHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  `script-src ${sourceHash(script)}`,
  `style-src ${sourceHash(style)}`,
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The page on which the first user signs up. It needs nothing but this text, so that it works before there is a console. */
export function answerSetupPage(request: IncomingMessage, response: ServerResponse): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  response.setHeader('content-type', isRead ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
  response.setHeader('content-security-policy', policy);
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  if (isRead) {
    response.writeHead(200).end(page);
    return;
  }
  response.setHeader('allow', 'GET, HEAD');
  response.setHeader('connection', 'close');
  response.writeHead(405).end(`${setupPath}: GET only`);
}
