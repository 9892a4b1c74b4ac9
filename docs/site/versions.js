// The switch of versions beside the title. Read the Docs says which versions it hosts; elsewhere nothing happens.
document.addEventListener("readthedocs-addons-data-ready", ({ detail }) => {
  const { versions } = detail.data();
  const element = (tag, name, text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text });
  const list = element("ul", "md-version__list");
  for (const { slug, urls } of versions.active) {
    const item = element("li", "md-version__item");
    item.append(Object.assign(element("a", "md-version__link", slug), { href: urls.documentation }));
    list.append(item);
  }
  const current = element("button", "md-version__current", versions.current.slug);
  current.setAttribute("aria-label", "Version");
  const both = element("div", "md-version");
  both.append(current, list);
  document.querySelector(".md-header__topic").append(both);
});
