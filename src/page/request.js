// request.js - what is asked of the server for a state of the page: the options of the command line, by name.

import {ask, Failure} from './api.js';
import {unpack} from './pack.js';
import {is_measured} from './machines.js';

const unpacked = new Map();

async function text_of(packed) {
    if (!unpacked.has(packed)) unpacked.set(packed, await unpack(packed));
    return unpacked.get(packed);
}

// the model: its id, or the config.json that was posted
export async function model_of(state) {
    return state.config ? {config: await text_of(state.config)} : {model: state.model};
}

const only_if = (condition, options) => (condition ? options : {});

function formats_of(state, traits) {
    return {weights: state.weights, activations: state.activations, ...only_if(traits.generates, {kv: state.kv})};
}

// sequences, tokens, formats, counting; what the model does not take stays out, since the server would only warn of it
function workload_of(state, traits) {
    const decode = state.phase === 'decode' && traits.generates;
    const phase = state.phase === 'decode' && !traits.generates ? 'prefill' : state.phase;
    return {
        phase,
        batch: state.batch,
        ...only_if(traits.tokens && !decode, {seq: Math.min(state.prompt, traits.longest)}),
        ...only_if(decode, {past: Math.min(state.context, traits.longest - 1)}),
        ...only_if(traits.images && state.image > 0, {'image-size': state.image}),
        ...formats_of(state, traits),
        kernel: state.kernel,
        ...only_if(traits.attention, {attention: state.attention}),
        ...only_if(traits.head, {'lm-head': state.head}),
        ...only_if(phase === 'train', {optimizer: state.optimizer, recompute: state.recompute}),
    };
}

export const replicas_of = (state) => Math.max(state.dp, state.ep); // experts are shared by replicas (docs/parallel.md)
export const devices_of = (state) => state.tp * state.pp * replicas_of(state);

function parallel_of(state) {
    const names = {'tensor-parallel': state.tp, 'pipeline-parallel': state.pp, 'expert-parallel': state.ep, 'data-parallel': state.dp};
    const link = devices_of(state) > 1 && state.link > 0 ? {'link-bandwidth': state.link * 1e9} : {};
    return {...Object.fromEntries(Object.entries(names).filter(([, devices]) => devices > 1)), ...link};
}

const UNBOUNDED = 131072; // tokens on a slider where the model has no maximum

// what the model is given and whether it generates: the workload that the server fills in by itself
const known = new Map();

async function find_traits(state) {
    const model = await model_of(state);
    const none = (error) => {
        if (error.lost) throw error;
        return null;
    };
    const [first, shown] = await Promise.all([ask('cost', {...model, depth: 0}), ask('show', model).catch(none)]);
    // what keeps a cache or a state generates
    const generates = shown ? shown.own.kv !== null : (await ask('cost', {...model, phase: 'decode', depth: 0}).catch(none)) !== null;
    const {workload} = first;
    return {
        tokens: workload.seq !== null,
        images: workload.image_size !== null,
        image_size: workload.image_size,
        encoder_decoder: workload.decoder_seq !== null,
        attention: workload.attention !== null,
        head: workload.lm_head !== null,
        generates,
        longest: Number(shown?.model_context ?? Math.max(UNBOUNDED, workload.seq ?? 0)),
        weights: workload.weights,
        activations: workload.activations,
        kv: workload.kv,
        parameters: first.parameters,
        architecture: first.architecture,
    };
}

export function traits_of(state) {
    const key = `${state.model}\n${state.config}`;
    if (!known.has(key))
        known.set(
            key,
            find_traits(state).catch((error) => {
                known.delete(key);
                throw error;
            }),
        );
    return known.get(key);
}

// the options of `ridge cost` and of `ridge predict` for what is on the page
export async function cost_of(state) {
    const traits = await traits_of(state);
    return {...(await model_of(state)), ...workload_of(state, traits)};
}

export async function options_of(state) {
    return {...(await cost_of(state)), on: state.on, ...parallel_of(state), method: state.method};
}

// the server would refuse what it knows no bandwidth of
export async function predict_of(state) {
    const options = await options_of(state);
    if (!is_measured(state.on)) throw new Failure('This machine was not measured yet.', {unmeasured: true});
    return options;
}

// a request of a prompt and the tokens after it, where the model generates
export async function generation_of(state) {
    const traits = await traits_of(state);
    const room = traits.longest - state.generate;
    return traits.generates && room > 0 && state.phase !== 'train' ? {prompt: Math.min(state.prompt, room), generate: state.generate} : {};
}
