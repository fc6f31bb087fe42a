// tree-worker.js - fetches and sorts a large answer beside the page, so that it goes on moving: DeepSeek-V3 unfolded is 35 MB of text.

import {parse} from './json.js';
import {tree_of} from './tree.js';

addEventListener('message', async ({data: {url, init}}) => {
    try {
        const response = await fetch(url, init);
        const text = await response.text();
        if (!response.ok) postMessage({status: response.status, text});
        else {
            const answer = parse(text);
            const tree = tree_of(answer.rows);
            postMessage({tree, warnings: answer.warnings ?? []}, [
                tree.parents.buffer,
                tree.depths.buffer,
                tree.ends.buffer,
                tree.counts.buffer,
                tree.intensity.buffer,
            ]);
        }
    } catch (error) {
        postMessage({lost: true, text: error.message});
    }
});
