import os, sys, json, warnings, logging, abc, contextlib, inspect, random, time, numpy as np
from . import x as y
from .fuzzed import *
