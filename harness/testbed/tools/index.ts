/**
 * The tools that agents are given, in the order in which they are listed to them. To add one, write its file and name it
 * here; its effects need a handler in ../handlers.
 */
import { toolbox } from '../../core/tool.js';
import type { Toolbox } from '../../core/tool.js';

export const TOOLBOX: Toolbox = toolbox([]);
