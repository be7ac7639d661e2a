// Elements are made here and nowhere else. Texts become text nodes, never HTML:
// what the cluster calls its objects cannot become part of the page.
const SVG = 'http://www.w3.org/2000/svg';

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
  return node;
}

const el = (name, attributes, ...children) => put(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => put(document.createElementNS(SVG, name), attributes, children);
const byID = (id) => document.getElementById(id);

// say tells a screen reader what the eye sees.
function say(text) { byID('live').textContent = text; }

function option(value, text, selected) { return el('option', { value, selected }, text); }
