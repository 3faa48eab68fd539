export default {
  title: 'Fastify',
  srcDir: 'docs',
  outDir: 'out',
  ignoreDeadLinks: true,
  markdown: { lineNumbers: true },
  themeConfig: {
    nav: [{ text: 'Guides', link: '/Guides/Getting-Started' }],
    sidebar: [
      {
        text: 'Guides',
        items: ['Getting-Started', 'Database', 'Plugins-Guide', 'Testing'].map((name) => ({
          text: name.replaceAll('-', ' '),
          link: `/Guides/${name}`,
        })),
      },
    ],
    editLink: { pattern: 'https://example.org/edit/:path' },
    footer: { message: 'Released under the MIT licence' },
  },
};
