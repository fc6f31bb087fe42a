// raster.js - a chart's SVG drawn on a canvas: the elements that charts here are made of, in the colours that the page gives them.

const number = (element, name) => parseFloat(element.getAttribute(name) ?? '0') || 0;

function paint(context, path, style) {
    const visible = (colour) => colour && colour !== 'none' && colour !== 'rgba(0, 0, 0, 0)';
    context.globalAlpha = parseFloat(style.opacity) * parseFloat(style.fillOpacity);
    if (visible(style.fill)) {
        context.fillStyle = style.fill;
        context.fill(path);
    }
    context.globalAlpha = parseFloat(style.opacity) * parseFloat(style.strokeOpacity);
    if (visible(style.stroke)) {
        context.strokeStyle = style.stroke;
        context.lineWidth = parseFloat(style.strokeWidth);
        context.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat));
        context.stroke(path);
    }
}

function shape(element) {
    const path = new Path2D();
    const n = (name) => number(element, name);
    switch (element.tagName) {
        case 'path':
            return new Path2D(element.getAttribute('d'));
        case 'line':
            path.moveTo(n('x1'), n('y1'));
            path.lineTo(n('x2'), n('y2'));
            return path;
        case 'rect':
            path.roundRect(n('x'), n('y'), n('width'), n('height'), n('rx'));
            return path;
        case 'circle':
            path.arc(n('cx'), n('cy'), n('r'), 0, 2 * Math.PI);
            return path;
        default:
            return null;
    }
}

function write(context, element, style) {
    context.globalAlpha = parseFloat(style.opacity);
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    context.textAlign = {start: 'left', middle: 'center', end: 'right'}[style.textAnchor] ?? 'left';
    if (style.paintOrder.startsWith('stroke')) {
        context.strokeStyle = style.stroke;
        context.lineWidth = parseFloat(style.strokeWidth);
        context.lineJoin = 'round';
        context.strokeText(element.textContent, number(element, 'x'), number(element, 'y'));
    }
    context.fillStyle = style.fill;
    context.fillText(element.textContent, number(element, 'x'), number(element, 'y'));
}

function move(context, element) {
    const matrix = element.transform?.baseVal.consolidate()?.matrix;
    if (matrix) context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
}

function clip(context, element) {
    const id = /#([\w-]+)/.exec(element.getAttribute('clip-path') ?? '')?.[1];
    const region = id ? document.getElementById(id)?.firstElementChild : null;
    if (region) context.clip(shape(region));
}

function draw(context, element) {
    const style = getComputedStyle(element);
    if (element.tagName === 'clipPath' || style.visibility === 'hidden' || style.display === 'none') return;
    context.save();
    move(context, element);
    clip(context, element);
    if (element.tagName === 'text') write(context, element, style);
    else if (shape(element)) paint(context, shape(element), style);
    for (const child of element.children) draw(context, child);
    context.restore();
}

export function draw_svg(element, times) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(number(element, 'width') * times);
    canvas.height = Math.ceil(number(element, 'height') * times);
    const context = canvas.getContext('2d');
    context.scale(times, times);
    context.fillStyle = getComputedStyle(document.body).getPropertyValue('--panel').trim();
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const child of element.children) draw(context, child);
    return canvas;
}
