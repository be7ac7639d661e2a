// Elements are made here and nowhere else. Texts become text nodes, never HTML:
// what the cluster calls its objects cannot become part of the page.
const SVG = 'http://www.w3.org/2000/svg';

// visible shows what would change the order in which a text is read, or break its
// line, instead of obeying it: a name must look like what it is.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const visible = (text) => String(text).replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const READ = new Set(['title', 'aria-label']);

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : READ.has(name) ? visible(value) : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : visible(c))));
  return node;
}

const el = (name, attributes, ...children) => put(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => put(document.createElementNS(SVG, name), attributes, children);
const byID = (id) => document.getElementById(id);

// say tells a screen reader what the eye sees.
function say(text) { byID('live').textContent = visible(text); }

function option(value, text, selected) { return el('option', { value, selected }, text); }
