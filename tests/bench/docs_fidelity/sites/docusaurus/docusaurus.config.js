module.exports = {
  title: 'Fastify',
  url: 'https://docs.example.org',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  // Pages of packages are Markdown, not MDX.
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore' } },
  presets: [
    [
      'classic',
      {
        blog: false,
        docs: {
          routeBasePath: '/',
          editUrl: 'https://example.org/edit/',
          showLastUpdateTime: false,
        },
      },
    ],
  ],
  themeConfig: {
    navbar: { title: 'Fastify', items: [{ to: '/features', label: 'Features' }] },
    footer: { links: [{ title: 'More', items: [{ label: 'Home', to: '/' }] }], copyright: 'MIT' },
    prism: { additionalLanguages: ['bash', 'diff', 'json', 'docker'] },
  },
};
