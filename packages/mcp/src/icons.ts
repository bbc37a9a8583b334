/** Icons that a client may show beside a tool: one per family of tools. */
export type IconName = keyof typeof paths;

const paths = {
  cluster: 'M12 2l8.7 5v10L12 22l-8.7-5V7zM12 12l8.7-5M12 12L3.3 7M12 12v10',
  agents: 'M6 6h12v12H6zM10 10h4v4h-4zM9 2v4M15 2v4M9 18v4M15 18v4M2 9h4M2 15h4M18 9h4M18 15h4',
  topic: 'M4 5h16v4H4zM4 10h16v4H4zM4 15h16v4H4z',
  group:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-2a5 5 0 0 1 5-5h4a5 5 0 0 1 5 5v2M16 3a4 4 0 0 1 0 8M22 21v-2a5 5 0 0 0-4-5',
  schema:
    'M8 3H6a2 2 0 0 0-2 2v5l-2 2 2 2v5a2 2 0 0 0 2 2h2M16 3h2a2 2 0 0 1 2 2v5l2 2-2 2v5a2 2 0 0 1-2 2h-2',
  diagnostics: 'M2 12h5l3-8 4 16 3-8h5',
  access: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4M12 15v2',
  pipelines: 'M3 4h6v6H3zM15 14h6v6h-6zM9 7h5a4 4 0 0 1 4 4v3',
  events: 'M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20zM12 6v6l4 2',
  docs: 'M4 3h12a4 4 0 0 1 4 4v14H8a4 4 0 0 1-4-4zM8 8h8M8 12h8',
} as const;

/** A blue that contrasts with white and black, since an icon does not know its background. */
const color = '#4a7fd0';

const iconPath = /^\/icons\/([a-z]+)\.svg$/;

export const iconNames = Object.keys(paths) as readonly IconName[];

/**
 * Returns the URL of an icon. Inline icons would take a sixth of the size limit of the tool list, also for clients that
 * show none; so clients fetch them once, from the site that serves the tools, the only one from which clients accept
 * icons.
 */
export function iconUrl(name: IconName, siteUrl: string): string {
  return new URL(`/icons/${name}.svg`, siteUrl).href;
}

/** Returns the icon at a path of the site, if there is one. */
export function iconAt(path: string): string | undefined {
  const name = iconPath.exec(path)?.[1] ?? '';
  return Object.hasOwn(paths, name) ? svgOf(paths[name as IconName]) : undefined;
}

function svgOf(path: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${color}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
}
