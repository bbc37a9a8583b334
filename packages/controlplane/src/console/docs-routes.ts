import { fileURLToPath } from 'node:url';
import { docsPath } from '@weir/api/paths';
import { ownFilesPolicy, protectPage } from '../http/content-policy.ts';
import { asksForPage, type Handler, pathOf, type RouteHandlers } from '../http/route-table.ts';
import { controlPlaneLimits } from '../limits.ts';
import { BuiltFiles } from './built-files.ts';
import { endWithText, sendFile } from './send-file.ts';

/** Where `npm run docs:site` writes. */
const usualFolder = fileURLToPath(new URL('../../../../site/', import.meta.url));

/**
 * Pages are ours alone, so that their styles may stand in attributes, which is how the colours of code are written;
 * scripts are files.
 */
const policy = ownFilesPolicy({ styleSources: "'self' 'unsafe-inline'" });

interface DocsRoutesOptions {
  readonly folder?: string;
  readonly keptBytesMax?: number;
}

/** The documentation site, for everyone: it says nothing about this installation. */
export function docsHandlers({
  folder = usualFolder,
  keptBytesMax = controlPlaneLimits.docsKeptBytesMax,
}: DocsRoutesOptions = {}): RouteHandlers<'docs' | 'docsPage'> {
  let opened: Promise<BuiltFiles | undefined> | undefined;
  /** A build that is made while the process runs is found by the next request. */
  const built = async () => {
    opened ??= BuiltFiles.open(folder, keptBytesMax);
    const found = await opened;
    if (found === undefined) opened = undefined;
    return found;
  };

  const answer: Handler = async (request, response) => {
    const site = await built();
    const path = pathOf(request);
    if (site === undefined)
      return endWithText(response, 404, `${path}: the documentation is not built (npm run docs:site)`);
    if (path === docsPath) {
      // Without the host: a proxy may have its own.
      response.setHeader('location', `${docsPath}/`);
      return endWithText(response, 308, `${docsPath}/`);
    }
    const below = path.slice(docsPath.length);
    const name = [below, `${below}.html`, `${below}index.html`, `${below}/index.html`].find((one) =>
      site.has(one),
    );
    const isMissing = name === undefined;
    if (isMissing && !asksForPage(request)) return endWithText(response, 404, `${path}: not found`);
    try {
      const file = await site.file(name ?? '/404.html');
      if (file === undefined) return endWithText(response, 404, `${path}: not found`);
      protectPage(response, policy);
      sendFile(request, response, file, {
        caching: name?.startsWith('/assets/') === true ? 'public, max-age=31536000, immutable' : 'no-cache',
        status: isMissing ? 404 : 200,
      });
    } catch {
      // The folder was replaced by a new build, whose files have other names.
      opened = undefined;
      endWithText(response, 404, `${path}: not found; the documentation was built again`);
    }
  };
  return { docs: answer, docsPage: answer };
}
